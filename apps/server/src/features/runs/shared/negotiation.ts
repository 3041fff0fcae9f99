/** Whether the client wants one JSON answer: it names JSON, and neither event streams nor anything at all. */
export function wantsJson(accept: string | undefined): boolean {
  if (accept === undefined) return false;
  const types = accept.split(',').map((part) => (part.split(';')[0] ?? '').trim().toLowerCase());
  return types.includes('application/json') && !types.includes('text/event-stream') && !types.includes('*/*');
}
