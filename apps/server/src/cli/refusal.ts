/** By name, so that `--help` does not load what knows the classes. */
const EXPECTED = new Set([
  'SettingsRefused',
  'LogRefused',
  'LogUnavailable',
  'ReadModelsRefused',
  'CommandRefused',
  'Problem',
]);

/** What is said of an error that ends the process: what an operator can mend in one line, else where it came from. */
export function refusalText(error: unknown): string {
  const { name, message, stack } = error as Error;
  return `${EXPECTED.has(name) ? message : stack}\n`;
}
