/**
 * Whether the client wants one JSON answer: it names JSON, and likes event streams less (RFC 9110, 12.5.1: weights; the
 * most specific range counts). Who likes both equally gets a stream.
 */
export function wantsJson(accept: string | undefined): boolean {
  if (accept === undefined) return false;
  const weights = new Map(accept.split(',').map(rangeOf));
  const json = weights.get('application/json') ?? 0;
  const stream = weights.get('text/event-stream') ?? weights.get('text/*') ?? weights.get('*/*') ?? 0;
  return json > stream;
}

function rangeOf(part: string): [range: string, weight: number] {
  const [range = '', ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase());
  const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1';
  return [range, /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(weight) ? Number(weight) : 1];
}
