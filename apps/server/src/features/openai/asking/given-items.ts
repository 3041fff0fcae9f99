import { Injectable } from '@nestjs/common';
import { type GivenItem, type GivenPart, NO_OPEN_CALLS, Problem, type ProjectId, unpaired } from '#domain';
import {
  type AskedItem,
  type AskedPart,
  type ConversationItem,
  givenOf,
  refused,
  sessionOfItem,
} from '#openai-face';
import type { Weigh } from '#platform';
import { AnswerRoom } from '../../../edge/answers/answer-room.js';
import { GivenFiles } from './given-files.js';
import { ConversationReading } from '../reading/conversation-reading.js';

/** Characters of what a request refers to and of what stands in its files, all together: it says so much with few words. */
const MAX_CHARS = 8_388_608;

type Reference = Extract<AskedItem, { kind: 'reference' }>;

/** Makes what was sent what it stands for: items that are here already are looked up. */
@Injectable()
export class GivenItems {
  constructor(
    private readonly conversations: ConversationReading,
    private readonly files: GivenFiles,
    private readonly room: AnswerRoom,
  ) {}

  /** @throws Problem item_not_found, or naming what cannot be read or is too much */
  async of(project: ProjectId, asked: readonly AskedItem[]): Promise<readonly GivenItem[]> {
    const count = counter();
    const found = await this.referred(project, asked, count);
    const items: GivenItem[] = [];
    for (const item of asked) {
      if (item.kind === 'reference') {
        const referred = found.get(item.id) ?? null;
        if (referred !== null) items.push(referred);
      } else if (item.kind === 'message')
        items.push({ ...item, parts: await this.partsOf(project, item.parts, count) });
      else items.push(item);
    }
    return items;
  }

  /** One file after the other: each holds a reader. */
  private async partsOf(
    project: ProjectId,
    parts: readonly AskedPart[],
    count: Count,
  ): Promise<readonly GivenPart[]> {
    const given: GivenPart[] = [];
    for (const part of parts) {
      const read = part.kind === 'file' ? await this.files.textOf(project, part) : part;
      if (part.kind === 'file') count(read, part.path);
      given.push(read);
    }
    return given;
  }

  /** By id; null: it tells the model nothing, such as thinking. One session after the other is read for what is wanted of it. */
  private async referred(
    project: ProjectId,
    asked: readonly AskedItem[],
    count: Count,
  ): Promise<ReadonlyMap<string, GivenItem | null>> {
    const references = asked.filter((item): item is Reference => item.kind === 'reference');
    const found = new Map<string, GivenItem | null>();
    for (const [session, ofSession] of Map.groupBy(references, ({ id }) => sessionOfItem(id))) {
      const share = this.room.share(project, NEVER);
      try {
        const items = session === null ? NONE : await this.itemsOf(project, session, share.weigh);
        for (const { id, path } of ofSession) {
          const item = items.get(id);
          if (item === undefined) throw notFound(id, path);
          const given = givenOf(item);
          count(given, path);
          found.set(id, given);
        }
      } finally {
        share.release();
      }
    }
    return found;
  }

  private async itemsOf(
    project: ProjectId,
    session: string,
    weigh: Weigh,
  ): Promise<ReadonlyMap<string, ConversationItem>> {
    try {
      const own = await this.conversations.findSession(project, session);
      const items = await this.conversations.items(own, weigh);
      return new Map(items.map((item) => [item.id, item]));
    } catch (error) {
      if (error instanceof Problem && error.code === 'not_found') return NONE;
      throw error;
    }
  }
}

const NEVER = new AbortController().signal;
const NONE: ReadonlyMap<string, ConversationItem> = new Map();

/** Adds up what a request brings in. @throws Problem naming what is too much */
type Count = (brought: object | null, path: string) => void;

function counter(): Count {
  let chars = 0;
  return (brought, path) => {
    chars += JSON.stringify(brought).length;
    if (chars > MAX_CHARS)
      throw refused('invalid_value', path, `${path}: brings in more text than a request may have`);
  };
}

const notFound = (id: string, path: string): Problem =>
  refused('item_not_found', path, `Item with id '${id.slice(0, 100)}' not found.`);

/** What a new session begins with; of others their state says which calls are there. @throws Problem naming the call */
export function requirePairs(items: readonly GivenItem[], param: string): void {
  const fault = unpaired(NO_OPEN_CALLS, items, param);
  if (fault !== null) throw fault;
}

/** What is decided by value was asked for by value. @throws Problem naming the request */
export function requireQuestions(items: readonly GivenItem[], param: string): void {
  const questions = new Set(items.flatMap((item) => (item.kind === 'question' ? [item.id] : [])));
  for (const item of items)
    if (item.kind === 'decision' && !questions.has(`mcpr_${item.action}`))
      throw refused('invalid_value', param, `No approval request found for mcpr_${item.action}.`);
}
