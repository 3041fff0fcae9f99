import { McpFailure } from './mcp-failure.js';

/** What this client says that it is. */
export const CLIENT_INFO = { name: 'annals', version: '1' } as const;

/** The revision without a handshake. */
export const MODERN_VERSION = '2026-07-28';

/** The revisions that begin with `initialize`, newest first. */
export const LEGACY_VERSIONS = [
  '2025-11-25',
  '2025-06-18',
  '2025-03-26',
  '2024-11-05',
  '2024-10-07',
] as const;
export type LegacyVersion = (typeof LEGACY_VERSIONS)[number];

/** The newest of these that this client can begin a session with; undefined: none. */
export const newestKnown = (versions: readonly unknown[]): LegacyVersion | undefined =>
  LEGACY_VERSIONS.find((known) => versions.includes(known));

/** What a refusal says that the server speaks instead: a list in its data, or dates in its text. */
export function versionsIn({ message, rpc }: McpFailure): readonly unknown[] {
  const supported = supportedIn(rpc?.data);
  return supported ?? message.match(/\b\d{4}-\d{2}-\d{2}\b/g) ?? [];
}

/** `data.supported` of an error about versions. */
export function supportedIn(data: unknown): readonly unknown[] | undefined {
  const { supported } = (data ?? {}) as { readonly supported?: unknown };
  return Array.isArray(supported) ? (supported as unknown[]) : undefined;
}
