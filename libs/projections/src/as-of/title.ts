const TITLE_CHARACTERS = 80;
/** Enough of a long message for its title. */
const LOOKED_AT = 1_000;

/** The beginning of a text as one line. */
export function titleOf(text: string): string {
  // Where the cut went through a character, its half goes, too.
  const beginning = text.slice(0, LOOKED_AT).replace(/[\ud800-\udbff]$/, '');
  const line = beginning.replace(/\s+/g, ' ').trim();
  const characters = Array.from(line);
  if (characters.length <= TITLE_CHARACTERS) return line;
  return `${characters
    .slice(0, TITLE_CHARACTERS - 1)
    .join('')
    .trimEnd()}…`;
}
