/** User and password of a URL, as Basic authentication sends them; null: it has no user. */
export function basicCredentials({ username, password }: URL): string | null {
  if (username === '') return null;
  return Buffer.from(`${decoded(username)}:${decoded(password)}`).toString('base64');
}

/** Part of a URL as its author meant it; as it is where it is not properly encoded. */
export function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
