import { MAX_PLACEHOLDERS, hasTooManyPlaceholders } from '#knowledge';
import { LENGTHS } from '../../../edge/validation/lengths.js';
import { described, filledText } from '../../../edge/validation/rules.js';

const sql = filledText(LENGTHS.query);
const TOO_MANY = { message: `must have at most ${MAX_PLACEHOLDERS} placeholders` };

/** A ready-made query. For which kind of database is not known yet: it is refused where it is too much for either. */
export const queryText = described(sql.schema ?? {}, (value) => {
  const fault = sql(value);
  if (fault !== null || typeof value !== 'string') return fault;
  return hasTooManyPlaceholders(value, 'postgres') && hasTooManyPlaceholders(value, 'mysql')
    ? TOO_MANY
    : null;
});
