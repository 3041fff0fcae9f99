export type Mode = 'flash' | 'base' | 'max';
export type Trigger = 'request' | 'task' | 'kafka';
export type OnBusy = 'enqueue' | 'reject' | 'interrupt';

/** A run's settings as the log keeps them: secrets sealed, of MCP servers the names only. */
export interface RunConfig {
  readonly system?: string;
  readonly rules?: readonly string[];
  readonly streaming_tokens?: boolean;
}
