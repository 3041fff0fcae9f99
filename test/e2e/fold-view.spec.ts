import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Content, type RecordedSessionEvent, formatDollars, knownSessionEvent } from '#domain/browser';
import { type FoldedMessage, chatMessage, foldView } from '#projections';
import type { Message } from '../support/service-client.js';
import { call, say, thinking } from '../support/scripted-model.js';
import { Stage } from '../support/stage.js';

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.open();
});
afterAll(() => stage.close());

interface Line {
  readonly revision: number;
  readonly type: string;
  readonly time: number;
  readonly project: string;
  readonly actor: string;
  readonly run?: string;
  readonly text: string;
}

const asJson = { headers: { accept: 'application/json' } };

async function logOf(session: string): Promise<RecordedSessionEvent[]> {
  const answer = await stage.client.get(`/sessions/${session}/log?limit=200&inline=262144`, asJson);
  const { items } = answer.json<{ readonly items: readonly { readonly data: Line }[] }>();
  return items.map(({ data: { text, run, project, actor, ...passage } }) => {
    const meta = { project, actor, ...(run === undefined ? {} : { run }) };
    return knownSessionEvent({ ...passage, meta, data: JSON.parse(text) as object })!;
  });
}

const textOf = (content: Content): string => content as string;

/** A message as `POST /get-messages` tells it. */
function told({ type, pieces }: FoldedMessage, events: readonly RecordedSessionEvent[]): Message {
  if (typeof pieces !== 'number') return { type, content: pieces.map(textOf).join('') };
  const request = events[pieces];
  return { type, content: request?.type === 'run_requested' ? textOf(request.data.message) : '' };
}

/** Two runs, the first with calls of a tool that is not there, a clear between them. */
async function recorded(): Promise<string> {
  const first = stage.book.on(
    stage.message('first'),
    say(...thinking('so'), 'one ', ...call(0, 'a', 'none'), ...call(1, 'b', 'none', { n: 1 })),
    say('two'),
  );
  const { session } = await stage.client.runToEnd({ message: first, streaming_tokens: true });
  await stage.client.post(`/clear-messages?session=${session}`);
  const second = stage.book.on(stage.message('second'), say('three', ' and four'));
  await stage.client.runToEnd({ message: second }, { session });
  return session;
}

/** At each event what the fold says, and what the service answers. */
async function agrees(session: string, inherited: readonly RecordedSessionEvent[] = []): Promise<void> {
  const events = await logOf(session);
  for (let at = 0; at < events.length; at++) {
    const { messages, context, summary } = foldView(session, events, at, inherited);
    const history = await stage.client.post(`/get-messages?session=${session}&at=${at}`);
    expect([at, messages.map((message) => told(message, events))]).toEqual([at, history.json()]);
    const sent = await stage.client.get(`/sessions/${session}/context?at=${at}`);
    const chat = context.map((message) => chatMessage(message, textOf));
    expect([at, { messages: chat }]).toEqual([at, sent.json()]);
    const view = (await stage.client.get(`/sessions/${session}?at=${at}`)).json();
    expect(view).toMatchObject({
      last_status: summary?.lastStatus,
      cost: formatDollars(summary?.cost ?? 0n),
    });
    expect(view['message_count']).toBe(messages.length);
  }
}

describe('the view that is folded of a log', () => {
  it('says at each event what the service answers as of it', async () => {
    await agrees(await recorded());
  });

  it('says of a fork what the service answers of it', async () => {
    const session = await recorded();
    const events = await logOf(session);
    const at = events.findIndex(({ type }) => type === 'messages_cleared') - 1;
    const fork = (await stage.client.post(`/sessions/${session}/fork`, { at })).json<{
      readonly session: string;
    }>();
    const message = stage.book.on(stage.message('fork'), say('five'));
    await stage.client.runToEnd({ message }, { session: fork.session });
    await agrees(fork.session, events.slice(0, at + 1));
  });
});
