import type { Connection } from '../connection-string.js';

/** A message of the database without what the connection string says. */
export function masked(message: string, { host, user, password }: Connection, address: string): string {
  const named = message
    // MySQL: 'user'@'host'
    .replace(/'[^']*'@'[^']*'/g, '***')
    .replace(/\b(user|role) "[^"]*"/gi, '$1 "***"');
  return [password, host, address, user]
    .filter((secret) => secret.length >= 3)
    .reduce((text, secret) => text.replaceAll(secret, '***'), named)
    .replace(/[\r\n]+/g, ' ')
    .slice(0, 2_000);
}
