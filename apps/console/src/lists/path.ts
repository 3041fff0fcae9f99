/** A path with those parameters that have a value. */
export function pathWith(path: string, parameters: Readonly<Record<string, string | null>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters))
    if (value !== null && value !== '') query.set(name, value);
  const text = query.toString();
  return text === '' ? path : `${path}?${text}`;
}

/** A segment of a path, whatever is in it. */
export const segment = (text: string): string => encodeURIComponent(text);

export const sessionPath = (session: string, event: string | number | null = null): string =>
  `/console/sessions/${segment(session)}${event === null ? '' : `@${event}`}`;

export const runPath = (run: string): string => `/console/runs/${segment(run)}`;

/** A new one for each thing that is sent: a repeat of it is known by it. */
export function idempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
