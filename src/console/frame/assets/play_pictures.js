// Pictures: those that go along with a prompt, seen before they are sent and bounded, and those that a
// model has made, to be kept as files.
const MOST = 8;
const MIB = 1024 * 1024;
const MOST_EACH = 5 * MIB;
// Base64 makes four bytes of three, and a request has 20 MiB unless the gateway was started otherwise.
const MOST_TOGETHER = 12 * MIB;
const ENDINGS = {
  "image/png": "png",
  "image/jpeg": "jpg",
  "image/webp": "webp",
  "image/gif": "gif",
};

const input = document.querySelector("form[data-play]").elements.images;
const list = document.querySelector("[data-pictures]");
const wrong = document.querySelector("[data-pictures-wrong]");
let asked = 0;
let saved = [];

input?.addEventListener("change", () => preview());

function mebibytes(bytes) {
  return `${(bytes / MIB).toFixed(1)} MiB`;
}

// Why the chosen pictures cannot be sent, beside those of the conversation so far; empty where they can.
function faultOf(files, before) {
  const odd = files.find(({ type }) => !Object.hasOwn(ENDINGS, type));
  if (odd !== undefined) {
    return `${odd.name} is no picture that models take: choose PNG, JPEG, WebP or GIF`;
  }
  const large = files.find(({ size }) => size > MOST_EACH);
  if (large !== undefined) {
    return `${large.name} has ${mebibytes(large.size)}, and a picture may have ` +
      `${mebibytes(MOST_EACH)}: make it smaller`;
  }
  if (before.length + files.length > MOST) {
    const already = before.length > 0
      ? `, ${before.length} of them in the conversation so far`
      : "";
    return `These are ${before.length + files.length} pictures${already}, and a call may have ` +
      `${MOST}: take some away`;
  }
  const sum = [...files.map(({ size }) => size), ...before.map(bytesOf)]
    .reduce((all, one) => all + one, 0);
  return sum <= MOST_TOGETHER
    ? ""
    : `The pictures of a call have ${mebibytes(sum)} together, and ` +
      `may have ${mebibytes(MOST_TOGETHER)}: make them smaller, or take some away`;
}

function bytesOf(address) {
  return Math.floor((address.length - address.indexOf(",") - 1) * 3 / 4);
}

// The pictures of messages, as the addresses that hold them.
export function picturesIn(messages) {
  return messages.flatMap(({ content }) => Array.isArray(content) ? content : [])
    .flatMap(({ image_url: picture }) => picture === undefined ? [] : [picture.url]);
}

// What the prompt is sent with, beside what the messages before it have.
export async function chosenPictures(messages) {
  const files = [...input.files];
  const fault = faultOf(files, files.length === 0 ? [] : picturesIn(messages));
  if (fault !== "") throw new Error(fault);
  return await Promise.all(files.map(addressOf));
}

// Chooses pictures in the place of those that are chosen.
export function choosePictures(addresses) {
  choose(addresses.map(fileOf));
}

function choose(files) {
  const chosen = new DataTransfer();
  for (const file of files) chosen.items.add(file);
  input.files = chosen.files;
  preview();
}

function fileOf(address, at) {
  const type = /^data:([^;,]*)/.exec(address)[1];
  return new File([bytesIn(address.slice(address.indexOf(",") + 1))], nameOf(at, type), { type });
}

function bytesIn(base64) {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}

function nameOf(at, type) {
  return `image-${at + 1}.${ENDINGS[type] ?? "bin"}`;
}

function addressOf(file) {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result);
    reader.onerror = () => reject(new Error(`Cannot read ${file.name}`));
    reader.readAsDataURL(file);
  });
}

async function preview() {
  const turn = ++asked;
  const files = [...input.files];
  const fault = faultOf(files, []);
  wrong.textContent = fault;
  wrong.hidden = fault === "";
  // What is too large or too many is not read either.
  const read = fault === "" ? await Promise.all(files.map(addressOf)) : [];
  // Others may have been chosen meanwhile.
  if (turn !== asked) return;
  list.replaceChildren(...files.map((file, at) => chosen(file, read[at], files)));
  list.hidden = files.length === 0;
}

function chosen(file, address, files) {
  const item = document.createElement("li");
  if (address !== undefined) item.append(picture(address, file.name));
  const said = document.createElement("span");
  said.textContent = `${file.name}, ${mebibytes(file.size)}`;
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Take away";
  button.setAttribute("aria-label", `Take away ${file.name}`);
  button.addEventListener("click", () => {
    choose(files.filter((one) => one !== file));
    input.focus();
  });
  item.append(said, " ", button);
  return item;
}

export function picture(address, words) {
  const image = document.createElement("img");
  image.src = address;
  image.alt = words;
  return image;
}

// An image that a model has made, with a link that keeps it as a file.
export function madePicture(base64, at) {
  const type = typeOf(base64);
  const figure = document.createElement("figure");
  const caption = document.createElement("figcaption");
  const bytes = bytesIn(base64);
  const link = document.createElement("a");
  // Browsers follow no address of this length that holds the file itself.
  link.href = URL.createObjectURL(new Blob([bytes], { type }));
  saved.push(link.href);
  link.download = nameOf(at, type);
  link.textContent = `Save ${link.download}, ${mebibytes(bytes.length)}`;
  caption.append(link);
  figure.append(picture(`data:${type};base64,${base64}`, `Image ${at + 1}`), caption);
  return figure;
}

// Lets go of the files of answers that are shown no more.
export function forgetPictures() {
  for (const address of saved) URL.revokeObjectURL(address);
  saved = [];
}

function typeOf(base64) {
  if (base64.startsWith("/9j/")) return "image/jpeg";
  return base64.startsWith("UklGR") ? "image/webp" : "image/png";
}
