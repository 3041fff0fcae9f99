import { beginningOf } from '#platform';
import type { Connection } from '../connection-string.js';

/** UTF-16 units that are looked at: masks are shorter than what they hide, and a message is read by nobody to its end. */
const LOOKED_AT = 16 * 1024;
const SHOWN = 2_000;

/** A message of the database without what the connection string says. */
export function masked(message: string, { host, user, password }: Connection, address: string): string {
  const secrets = [password, host, address, user].filter((secret) => secret.length >= 3);
  const named = beginningOf(message, LOOKED_AT, secrets)
    // MySQL: 'user'@'host'. A cut leaves the last name open.
    .replace(/'[^']*'@'[^']*(?:'|$)/g, '***')
    .replace(/\b(user|role) "[^"]*(?:"|$)/gi, '$1 "***"');
  return secrets
    .reduce((text, secret) => text.replaceAll(secret, '***'), named)
    .replace(/[\r\n]+/g, ' ')
    .slice(0, SHOWN);
}
