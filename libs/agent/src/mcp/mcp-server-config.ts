/** One entry of `mcp_servers`, as the caller sent it. Kept in memory only. */
export interface McpServerConfig {
  readonly serverName: string;
  readonly serverUrl: string;
  /** The run fails where this server cannot be used; absent: it goes on without it. */
  readonly required?: boolean;
  /** Stands before the descriptions of its tools. */
  readonly description?: string;
  readonly auth?:
    | { readonly type: 'bearer'; readonly token: string }
    | { readonly type: 'oauth'; readonly oauth: { readonly accessToken: string } };
}

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
