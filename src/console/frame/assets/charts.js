// Draws the charts of a page: what each shows is in its data-chart, as JSON. The table below it says
// the same in words.
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

for (const place of document.querySelectorAll("[data-chart]")) draw(place);

function draw(place) {
  const { days, series } = JSON.parse(place.dataset.chart);
  const sums = days.map(() => 0);
  const stacked = series.map(({ values }) => values.map((value, at) => (sums[at] += value)));
  const text = getComputedStyle(place).color;
  const grid = { stroke: "#8886", width: 1 };
  // The highest first, so that each is seen below the one before.
  const order = series.map((_, at) => at).reverse();
  const chart = new uPlot(
    {
      width: place.clientWidth - 20,
      height: 220,
      scales: { x: { time: true } },
      axes: [{ stroke: text, grid }, { stroke: text, grid, size: 70 }],
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
  addEventListener("resize", () => chart.setSize({ width: place.clientWidth - 20, height: 220 }));
}
