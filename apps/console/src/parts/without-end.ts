/** A text without the letters at its end that are this one. A pattern would look at the end from each of them. */
export function withoutEnd(text: string, letter: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === letter) end -= 1;
  return text.slice(0, end);
}
