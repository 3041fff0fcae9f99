import { percentDecoded } from '#platform';

/** User and password of a URL, as Basic authentication sends them; null: it has no user. */
export function basicCredentials({ username, password }: URL): string | null {
  if (username === '') return null;
  return Buffer.from(`${percentDecoded(username)}:${percentDecoded(password)}`).toString('base64');
}
