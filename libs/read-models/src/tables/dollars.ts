import { type PicoDollars, formatDollars, parseDollars } from '#domain';
import { type Field, decimal, mapped } from '#postgres';

/** Money, exactly: numeric(38, 12). */
export const dollars = (name: string): Field<PicoDollars> =>
  mapped(decimal(name), formatDollars, parseDollars);
