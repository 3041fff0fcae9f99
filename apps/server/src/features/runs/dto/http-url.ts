import { Satisfies, IsText, all } from '../../../edge/validation/decorators.js';
import { LENGTHS } from '../../../edge/validation/lengths.js';
import { type Rule, described } from '../../../edge/validation/rules.js';

const SCHEMA = { format: 'uri', pattern: '^[hH][tT][tT][pP][sS]?://' };

const httpUrl: Rule = described(SCHEMA, (value) =>
  typeof value === 'string' && /^https?:\/\//i.test(value) && URL.canParse(value)
    ? null
    : { message: 'must be an http or https URL' },
);

const withoutCredentials: Rule = (value) => {
  const { username, password } = new URL(String(value));
  return username === '' && password === ''
    ? null
    : { message: 'must not hold credentials; send them in headers' };
};

/**
 * An absolute http or https URL. It is what `fetch` takes (WHATWG URL); class-validator's `@IsUrl()` has a grammar of its own,
 * which refuses some of them and takes some that cannot be parsed later.
 */
export const IsHttpUrl = (): PropertyDecorator => all(IsText(LENGTHS.url), Satisfies('isHttpUrl', httpUrl));

/** Like `@IsHttpUrl()`, without a user or a password in it. */
export const IsHttpUrlWithoutCredentials = (): PropertyDecorator =>
  all(IsHttpUrl(), Satisfies('isWithoutCredentials', withoutCredentials));
