const UNITS = ['B', 'KB', 'MB', 'GB'];

/** `2.1 KB` of a text's length, or a file's. */
export function sizeNote(bytes: number): string {
  let [size, unit] = [bytes, 0];
  while (size >= 1000 && unit < UNITS.length - 1) [size, unit] = [size / 1000, unit + 1];
  return `${unit === 0 || size >= 100 ? Math.round(size) : size.toFixed(1)} ${UNITS[unit]}`;
}

/** When an action expires, in UTC; the page shows its own clock beside it. */
export const expiresNote = (iso: string): string => `expires ${iso.slice(0, 16).replace('T', ' ')} UTC`;

/** `2nd` */
export function ordinal(n: number): string {
  const tail = n % 100;
  const end = tail > 10 && tail < 14 ? 'th' : (['th', 'st', 'nd', 'rd'][n % 10] ?? 'th');
  return `${n}${end}`;
}

/** The replica of a worker, which is named with its boot behind it. */
export const replicaOf = (worker: string): string => {
  const colon = worker.lastIndexOf(':');
  return colon > 0 ? worker.slice(0, colon) : worker;
};

/** Whether a run that ends with this error while a turn is open does so because of the model that was asked. */
export const isForModel = (code: string): boolean =>
  code === 'model_unavailable' || code === 'context_too_long' || code === 'timeout';
