// Where two texts differ, word by word. A part of a text is [text, whether it differs].
const MOST_CELLS = 4e6; // of the table that two texts are compared in: some 20 ms

// `--lr`, `0.1` and `data/train.csv` are one word each.
const wordsOf = (text) => text.match(/\s+|[\p{L}\p{N}_./-]+|[^]/gu) ?? [];

// Two lists of flags: which words of each text also stand in the other, in the same order. Null if there are too many.
function commonWords(a, b) {
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < Math.min(a.length, b.length) - head && a.at(-1 - tail) === b.at(-1 - tail)) tail++;
  const [rows, columns] = [a.length - head - tail, b.length - head - tail];
  if (rows * columns > MOST_CELLS) return null;
  const width = columns + 1;
  const longest = new Uint16Array((rows + 1) * width); // the longest common subsequence from row and column on
  for (let i = rows - 1; i >= 0; i--)
    for (let j = columns - 1; j >= 0; j--)
      longest[i * width + j] = a[head + i] === b[head + j] ? longest[(i + 1) * width + j + 1] + 1 : Math.max(longest[(i + 1) * width + j], longest[i * width + j + 1]);
  const flags = [a.map((_, at) => at < head || at >= a.length - tail), b.map((_, at) => at < head || at >= b.length - tail)];
  for (let i = 0, j = 0; i < rows && j < columns; ) {
    if (a[head + i] === b[head + j]) flags[0][head + i++] = flags[1][head + j++] = true;
    else if (longest[(i + 1) * width + j] >= longest[i * width + j + 1]) i++;
    else j++;
  }
  return flags;
}

// Space differs only between two words that differ.
function partsOf(words, common) {
  const parts = [];
  words.forEach((word, at) => {
    const differs = !common[at] && (word.trim() !== "" || (at > 0 && at < words.length - 1 && !common[at - 1] && !common[at + 1]));
    if (parts.length && parts.at(-1)[1] === differs) parts.at(-1)[0] += word;
    else parts.push([word, differs]);
  });
  return parts;
}

const plain = (text) => [[visible(text), false]];

// The parts of two texts; without marks if one is empty or both are too long to be compared.
function differing(first, second) {
  const [a, b] = [wordsOf(visible(first)), wordsOf(visible(second))];
  const common = a.length && b.length ? commonWords(a, b) : null;
  return common ? [partsOf(a, common[0]), partsOf(b, common[1])] : [plain(first), plain(second)];
}

const marked = (parts) => parts.map(([text, differs]) => (differs ? make("mark", { text }) : text));
