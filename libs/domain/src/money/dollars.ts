/** Money is counted in picodollars (10⁻¹² US dollars), so that prices of a token are whole numbers. */
export type PicoDollars = bigint;

const PICO = 12;

/** A decimal string without exponent, e.g. `0.00042`; `0` for nothing. */
export function formatDollars(pico: PicoDollars): string {
  const digits = pico.toString().padStart(PICO + 1, '0');
  const fraction = digits.slice(-PICO).replace(/(?<!0)0+$/, '');
  return digits.slice(0, -PICO) + (fraction === '' ? '' : `.${fraction}`);
}

/** Reads what formatDollars writes, and any other plain decimal with at most 12 places. @throws RangeError */
export function parseDollars(text: string): PicoDollars {
  const match = /^(\d+)(?:\.(\d{1,12}))?$/.exec(text);
  if (!match) throw new RangeError(`not a decimal amount: ${text}`);
  return BigInt(match[1] + (match[2] ?? '').padEnd(PICO, '0'));
}
