// Round numbers for the color bar, and numbers as text.

/** Returns the text of a number with a proper minus sign. */
function withMinus(text) {
  return text.replace("-", "\u2212");
}

/** Returns the multiples of a round step in a range, at most `most` of them, with their labels. */
function ticks([low, high], most) {
  const wanted = (high - low) / (most - 1);
  const exponent = Math.floor(Math.log10(wanted));
  const steps = [
    [1, 0],
    [2, 0],
    [5, 0],
    [1, 1],
    [2, 1],
  ];
  const count = (step) => Math.floor(high / step + 1e-9) - Math.ceil(low / step - 1e-9) + 1;
  const valueOf = ([digit, more]) => Number(`${digit}e${exponent + more}`);
  const chosen = steps.find((step) => count(valueOf(step)) <= most) ?? [2, 1];
  const step = valueOf(chosen);
  const power = exponent + chosen[1];
  const isPlain = Math.max(Math.abs(low), Math.abs(high)) < 1e6 && power >= -6;
  const first = Math.ceil(low / step - 1e-9);
  const values = [];
  for (let k = 0; k < Math.min(count(step), most); k++) {
    values.push(Number(`${(first + k) * chosen[0]}e${power}`) + 0);
  }
  const label = (x) =>
    isPlain ? x.toFixed(Math.max(0, -power)) : x === 0 ? "0" : x.toExponential();
  return { step, values, labels: values.map((x) => withMinus(label(x))) };
}

/** Returns the text of a number with about five significant digits. */
function short(x) {
  if (!Number.isFinite(x)) return "no value";
  const size = Math.abs(x);
  if (size !== 0 && (size < 1e-4 || size >= 1e7)) return withMinus(x.toExponential(4));
  return withMinus(String(Number(x.toPrecision(size >= 1e5 ? 8 : 5))));
}
