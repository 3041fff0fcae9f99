import type { ActionKind, ActionOutcome, RecordedSessionEvent } from '#domain/browser';
import { visible } from './visible.js';

/** An event as the page has it; `LogEvent` of the session's store is one. */
export interface ConversationEvent {
  /** Its revision in its session. */
  readonly id: number;
  readonly type: string;
  /** ms since 1970 */
  readonly time: number;
  /** Id of the key that it was written for. */
  readonly actor: string;
  readonly run?: string | undefined;
  /** null: not loaded, or erased. */
  readonly data: object | null;
  /** As the domain's folds take it, where that is known already. */
  readonly known?: RecordedSessionEvent | null | undefined;
  /** The line that it came in: of a text that is not loaded its size and its beginning. */
  readonly line?: { readonly bytes?: number | undefined; readonly head?: string | undefined } | undefined;
  /** The session whose log it stands on, where that is not the one that is shown. */
  readonly session?: string | undefined;
}

/** A text that is not in the page; the event's content can be asked for. */
export interface Unloaded {
  readonly event: number;
  readonly bytes: number;
  /** Of an inherited event: whose it is. */
  readonly session?: string;
}

/** A text in the order of its pieces; neighbours that are loaded are one. */
export type Text = readonly (string | Unloaded)[];

interface Placed {
  /** Unique in its conversation, and the same as long as it stands there. */
  readonly key: string;
  /** The event that it begins with, for people and links. */
  readonly event: number;
  /** ms since 1970, of that event. */
  readonly time: number;
  readonly run: string;
  /** It stands in the log of the session that this one was forked from. */
  readonly isInherited: boolean;
}

export interface UserItem extends Placed {
  readonly kind: 'user';
  readonly actor: string;
  readonly text: Text;
  /** The run under way was given it. */
  readonly isSteering: boolean;
}

export interface TextItem extends Placed {
  readonly kind: 'thinking' | 'response';
  readonly text: Text;
  /** Still being written. */
  readonly isOpen: boolean;
  /** From its first event to what closed it; null: it is open. */
  readonly tookMs: number | null;
}

export interface ToolItem extends Placed {
  readonly kind: 'tool';
  readonly tool: string;
  /** JSON text, as the model wrote it. */
  readonly input: Text;
  /** null: there is none yet. */
  readonly result: Text | null;
  /** `waiting`: for somebody; `unknown`: nobody knows what became of it. */
  readonly state: 'open' | 'waiting' | 'done' | 'failed' | 'unknown';
  readonly tookMs: number | null;
  /** The workflow step that made the call. */
  readonly step: string | null;
}

export interface ActionItem extends Placed {
  readonly kind: 'action';
  readonly id: string;
  readonly asks: ActionKind;
  /** What is asked; null: not loaded. */
  readonly asked: Readonly<Record<string, unknown>> | null;
  /** JSON text of the input of the call that it is about, as the model wrote it; empty: it is about none. */
  readonly input: Text;
  /** The tool, or what else it is about. */
  readonly about: string;
  /** ms since 1970 */
  readonly expiresAt: number;
  /** `cancelled`: its run ended before. */
  readonly status: 'open' | 'resolved' | 'expired' | 'cancelled';
  readonly decision: ActionOutcome | null;
  readonly decidedBy: string;
  readonly decidedAt: number | null;
  readonly reason: string;
  /** JSON text of the input that was carried out in the place of `input`; null: none was; empty: it lies in the event. */
  readonly carriedOut: string | null;
}

export interface HandoffItem extends Placed {
  readonly kind: 'handoff';
  readonly agent: string;
}

export interface OutputItem extends Placed {
  readonly kind: 'output';
  readonly name: string;
  readonly text: Text;
}

export interface ErrorItem extends Placed {
  readonly kind: 'error';
  readonly code: string;
  readonly text: string;
  readonly isRetryable: boolean;
}

/** What happened besides, in a sentence. */
export interface NoteItem extends Placed {
  readonly kind: 'note';
  readonly tone: 'plain' | 'warning';
  readonly text: string;
}

export type Item =
  UserItem | TextItem | ToolItem | ActionItem | HandoffItem | OutputItem | ErrorItem | NoteItem;

/** What an article of the conversation is called; null: it is none. */
export function nameOf(item: Item): string | null {
  const name = spokenName(item);
  return name === null ? null : visible(name);
}

function spokenName(item: Item): string | null {
  switch (item.kind) {
    case 'user':
      return 'User message';
    case 'thinking':
      return 'Agent thinking';
    case 'response':
      return 'Agent response';
    case 'tool':
      return `Tool call ${item.tool}`;
    case 'action':
      return `Approval ${item.about}`;
    case 'handoff':
      return `Handoff ${item.agent}`;
    case 'output':
      return `Final output ${item.name}`;
    case 'error':
      return `Error ${item.code}`;
    case 'note':
      return null;
  }
}

/** The loaded part of a text. */
export const loadedText = (text: Text): string =>
  text.map((piece) => (typeof piece === 'string' ? piece : '')).join('');
