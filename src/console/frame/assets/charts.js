// Draws the charts of a page: what each shows is in its data-chart (bars by day, one upon the other) or
// data-lines, as JSON. The table below it says the same in words.
const COLOURS = [
  "#2f7ed8",
  "#d9822b",
  "#3a9d5d",
  "#a45bc7",
  "#c2413b",
  "#17939b",
  "#8a8d24",
  "#7a7f87",
];
const HEIGHT = 220;

let drawn = [];

drawAll();
// Live pages put others in their places.
addEventListener("shown-anew", drawAll);
addEventListener("resize", () => {
  for (const { place, chart } of drawn) chart.setSize({ width: widthOf(place), height: HEIGHT });
});

function drawAll() {
  drawn = drawn.filter(({ place, chart }) => place.isConnected || void chart.destroy());
  const known = new Set(drawn.map(({ place }) => place));
  for (const place of document.querySelectorAll("[data-chart], [data-lines]")) {
    if (known.has(place)) continue;
    drawn.push({ place, chart: place.dataset.chart ? drawBars(place) : drawLines(place) });
  }
}

function widthOf(place) {
  return place.clientWidth - 20;
}

function axes(place) {
  const text = getComputedStyle(place).color;
  const grid = { stroke: "#8886", width: 1 };
  return [{ stroke: text, grid }, { stroke: text, grid, size: 70 }];
}

function drawBars(place) {
  const { days, series } = JSON.parse(place.dataset.chart);
  const sums = days.map(() => 0);
  const stacked = series.map(({ values }) => values.map((value, at) => (sums[at] += value)));
  // The highest first, so that each is seen below the one before.
  const order = series.map((_, at) => at).reverse();
  return new uPlot(
    {
      width: widthOf(place),
      height: HEIGHT,
      scales: { x: { time: true } },
      axes: axes(place),
      series: [
        { value: (_, at) => at === null ? "" : new Date(at * 1000).toISOString().slice(0, 10) },
        ...order.map((at) => ({
          label: series[at].name,
          stroke: COLOURS[at % COLOURS.length],
          fill: COLOURS[at % COLOURS.length] + "88",
          paths: uPlot.paths.bars({ size: [0.7, 60] }),
          points: { show: false },
          value: (_plot, _value, _series, index) =>
            index === null || index === undefined ? "" : series[at].shown[index],
        })),
      ],
    },
    [days, ...order.map((at) => stacked[at])],
    place,
  );
}

function drawLines(place) {
  const { times, series, unit } = JSON.parse(place.dataset.lines);
  return new uPlot(
    {
      width: widthOf(place),
      height: HEIGHT,
      scales: { x: { time: true }, y: { range: (_plot, _least, most) => [0, most || 1] } },
      axes: axes(place),
      series: [
        { value: (_, at) => at === null ? "" : new Date(at * 1000).toISOString().slice(11, 16) },
        ...series.map(({ name }, at) => ({
          label: name,
          stroke: COLOURS[at % COLOURS.length],
          width: 2,
          spanGaps: true,
          value: (_plot, value) => value === null ? "" : `${Math.round(value * 10) / 10} ${unit}`,
        })),
      ],
    },
    [times, ...series.map(({ values }) => values)],
    place,
  );
}
