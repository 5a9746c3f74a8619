// Unpacks the data of the page: gzip, base64, and 16-bit numbers.

/** Returns the bytes of a base64 string that holds a gzip stream. */
async function unpack(text) {
  if (typeof DecompressionStream === "undefined") {
    throw new Error("this browser is too old: it cannot decompress data (DecompressionStream)");
  }
  const bytes = Uint8Array.from(atob(text.trim()), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

/** Returns the text of an element of the page. */
function textOf(id) {
  return document.getElementById(id).textContent;
}

/** The code of a value that is not finite. */
const NO_VALUE = 65535;

/** The largest code of a finite value. */
const LAST_CODE = 65534;

/** Returns an array of numbers that is stored as differences between successive numbers. */
function summed(differences) {
  const numbers = differences.slice();
  for (let k = 1; k < numbers.length; k++) numbers[k] += numbers[k - 1];
  return numbers;
}

/** Reads coordinates `[n][3]`. They are stored column by column. */
function readPoints(buffer, { at, n, low, high }) {
  const codes = summed(new Uint16Array(buffer, at, 3 * n));
  const points = new Float32Array(3 * n);
  for (let c = 0; c < 3; c++) {
    const step = (high[c] - low[c]) / LAST_CODE;
    for (let v = 0; v < n; v++) points[3 * v + c] = low[c] + step * codes[c * n + v];
  }
  return points;
}

/** Reads values `[n]`. Values that are not finite become NaN. */
function readValues(buffer, { at, n, low, high }) {
  const codes = summed(new Uint16Array(buffer, at, n));
  const step = (high - low) / LAST_CODE;
  return Float64Array.from(codes, (code) => (code === NO_VALUE ? NaN : low + step * code));
}

/** Reads whole numbers `[n]`, which take 2 or 4 bytes each. */
function readNumbers(buffer, { at, n, wide }) {
  return summed(wide ? new Uint32Array(buffer, at, n) : new Uint16Array(buffer, at, n));
}
