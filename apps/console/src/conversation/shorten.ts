/** What is shown of one text before "Show all": whichever comes first. */
export const SHOWN_CHARACTERS = 20_000;
export const SHOWN_LINES = 400;

export interface Shortened {
  readonly text: string;
  /** Characters (UTF-16 units) that are not shown; 0: it is whole. */
  readonly left: number;
}

/** The beginning of a text, cut between two characters. */
export function shorten(text: string): Shortened {
  const end = Math.min(endOfLines(text), endOfCharacters(text));
  return { text: text.slice(0, end), left: text.length - end };
}

function endOfCharacters(text: string): number {
  if (text.length <= SHOWN_CHARACTERS) return text.length;
  const last = text.charCodeAt(SHOWN_CHARACTERS - 1);
  const isHalf = last >= 0xd800 && last <= 0xdbff;
  return isHalf ? SHOWN_CHARACTERS - 1 : SHOWN_CHARACTERS;
}

function endOfLines(text: string): number {
  let at = -1;
  for (let line = 0; line < SHOWN_LINES; line += 1) {
    at = text.indexOf('\n', at + 1);
    if (at === -1) return text.length;
  }
  return at;
}

/** Bytes of the text in UTF-8. */
export function bytesOf(text: string): number {
  let bytes = text.length;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit > 0x7ff) bytes += unit >= 0xd800 && unit <= 0xdfff ? 1 : 2;
    else if (unit > 0x7f) bytes += 1;
  }
  return bytes;
}
