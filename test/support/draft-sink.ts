import type { Draft } from '#domain';

/** Collects what a run writes; text that is streamed is an event a piece. */
export class DraftSink {
  readonly drafts: Draft[] = [];

  write(drafts: readonly Draft[]): void {
    this.drafts.push(...drafts);
  }

  writeText(type: 'agent_response' | 'agent_thinking', text: string): void {
    this.drafts.push({ type, data: { content: text } });
  }

  /** The drafts as `type`, or `type text` where they hold content. */
  get lines(): string[] {
    return this.drafts.map(lineOf);
  }
}

export const lineOf = ({ type, data }: Pick<Draft, 'type' | 'data'>): string => {
  if (!('content' in data)) return type;
  return `${type} ${typeof data.content === 'string' ? data.content : `file of ${data.content.bytes} bytes`}`;
};
