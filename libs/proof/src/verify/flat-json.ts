/** A line as long as this is read as it comes; what is in a longer one is counted first, for what is parsed takes memory. */
const SHORT_CHARS = 256 * 1024;
/** Names and texts of one line, and what stands between two of them. */
const MAX_STRINGS = 64;
const MAX_BETWEEN = 64;

/** The object that a line is; null: it is none, or a long one that is more than a few names and texts. */
export function readObject(line: string): Readonly<Record<string, unknown>> | null {
  if (!line.startsWith('{') || (line.length > SHORT_CHARS && !isFlat(line))) return null;
  try {
    return JSON.parse(line) as Readonly<Record<string, unknown>>;
  } catch {
    return null;
  }
}

function isFlat(line: string): boolean {
  let at = 1;
  for (let strings = 0; strings <= MAX_STRINGS; strings++) {
    const begin = line.indexOf('"', at);
    const between = line.slice(at, begin < 0 ? line.length : begin);
    if (between.length > MAX_BETWEEN || /[[{]/.test(between)) return false;
    if (begin < 0) return true;
    const end = endOfString(line, begin + 1);
    if (end === null) return false;
    at = end + 1;
  }
  return false;
}

/** Where the quote is that ends it: the first with an even number of backslashes before it. */
function endOfString(line: string, from: number): number | null {
  for (let at = line.indexOf('"', from); at >= 0; at = line.indexOf('"', at + 1)) {
    let slashes = 0;
    while (at - 1 - slashes >= from && line[at - 1 - slashes] === '\\') slashes += 1;
    if (slashes % 2 === 0) return at;
  }
  return null;
}
