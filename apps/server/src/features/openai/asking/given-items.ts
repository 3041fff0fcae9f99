import { Injectable } from '@nestjs/common';
import { type GivenItem, type GivenPart, Problem, type ProjectId } from '#domain';
import { type AskedItem, type AskedPart, givenOf, refused, sessionOfItem } from '#openai-face';
import { GivenFiles } from './given-files.js';
import { ConversationReading } from '../reading/conversation-reading.js';

/** Makes what was sent what it stands for: items that are here already are looked up. */
@Injectable()
export class GivenItems {
  constructor(
    private readonly conversations: ConversationReading,
    private readonly files: GivenFiles,
  ) {}

  /** @throws Problem item_not_found, or naming what cannot be read */
  async of(project: ProjectId, asked: readonly AskedItem[]): Promise<readonly GivenItem[]> {
    const known = new Map<string, ReadonlyMap<string, GivenItem | null>>();
    const items: GivenItem[] = [];
    for (const item of asked) {
      if (item.kind === 'reference') {
        const found = await this.referred(project, item, known);
        if (found !== null) items.push(found);
      } else if (item.kind === 'message')
        items.push({ ...item, parts: await this.partsOf(project, item.parts) });
      else items.push(item);
    }
    return items;
  }

  /** One file after the other: each holds a reader. */
  private async partsOf(project: ProjectId, parts: readonly AskedPart[]): Promise<readonly GivenPart[]> {
    const read: GivenPart[] = [];
    for (const part of parts) read.push(part.kind === 'file' ? await this.files.textOf(project, part) : part);
    return read;
  }

  /** null: it tells the model nothing, such as thinking. */
  private async referred(
    project: ProjectId,
    { id, path }: Extract<AskedItem, { kind: 'reference' }>,
    known: Map<string, ReadonlyMap<string, GivenItem | null>>,
  ): Promise<GivenItem | null> {
    const session = sessionOfItem(id);
    if (session === null) throw notFound(id, path);
    let items = known.get(session);
    if (items === undefined) {
      items = await this.itemsOf(project, session);
      known.set(session, items);
    }
    const found = items.get(id);
    if (found === undefined) throw notFound(id, path);
    return found;
  }

  private async itemsOf(project: ProjectId, session: string): Promise<ReadonlyMap<string, GivenItem | null>> {
    try {
      const own = await this.conversations.findSession(project, session);
      const items = await this.conversations.items(own);
      return new Map(items.map((item) => [item.id, givenOf(item)]));
    } catch (error) {
      if (error instanceof Problem && error.code === 'not_found') return new Map();
      throw error;
    }
  }
}

const notFound = (id: string, path: string): Problem =>
  refused('item_not_found', path, `Item with id '${id.slice(0, 100)}' not found.`);

/** What a model takes: each call with one result, each result with its call. @throws Problem naming the call */
export function requirePairs(items: readonly GivenItem[], param = 'input'): void {
  const calls = new Set(items.flatMap((item) => (item.kind === 'call' ? [item.id] : [])));
  const results = new Set<string>();
  for (const item of items) {
    if (item.kind !== 'result') continue;
    if (!calls.has(item.id) || results.has(item.id))
      throw refused(
        'invalid_value',
        param,
        `No tool call found for function call output with call_id ${item.id}.`,
      );
    results.add(item.id);
  }
  for (const id of calls) if (!results.has(id)) throw noOutput(id, param);
  const questions = new Set(items.flatMap((item) => (item.kind === 'question' ? [item.id] : [])));
  for (const item of items)
    if (item.kind === 'decision' && !questions.has(`mcpr_${item.action}`))
      throw refused('invalid_value', param, `No approval request found for mcpr_${item.action}.`);
}

const noOutput = (id: string, param: string): Problem =>
  refused('invalid_value', param, `No tool output found for function call ${id}.`);
