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
