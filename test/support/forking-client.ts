import type { Answer, Message } from './service-client.js';
import { say } from './scripted-turn.js';
import type { Stage } from './stage.js';

/** A session as it is listed. */
export interface Listed {
  readonly session: string;
  readonly title: string | null;
  readonly message_count: number;
  readonly last_status: string | null;
  readonly cost: string;
  readonly forked_from: { readonly session: string; readonly at: string } | null;
}
export interface Item {
  readonly id: string;
  readonly type: string;
  readonly content: string;
  readonly output?: string;
}

export interface Said {
  readonly session: string;
  readonly message: string;
  readonly messages: readonly Message[];
}

/** Sessions that are forked over HTTP. */
export class ForkingClient {
  constructor(private readonly stage: Stage) {}

  private get client() {
    return this.stage.client;
  }

  ask(session: string, body: object = {}, key?: string): Promise<Answer> {
    const headers = key === undefined ? {} : { headers: { 'idempotency-key': key } };
    return this.client.post(`/sessions/${session}/fork`, body, headers);
  }

  async fork(session: string, body: object = {}): Promise<Listed> {
    const answer = await this.ask(session, body);
    if (answer.status !== 201) throw new Error(`${answer.status}: ${answer.text}`);
    return answer.json<Listed>();
  }

  async record(session: string): Promise<Listed> {
    return (await this.client.get(`/sessions/${session}`)).json<Listed>();
  }

  async history(session: string, at?: string): Promise<readonly Message[]> {
    const moment = at === undefined ? '' : `&at=${at}`;
    return (await this.client.post(`/get-messages?session=${session}${moment}`)).json<Message[]>();
  }

  async context(session: string, at?: string): Promise<unknown> {
    const moment = at === undefined ? '' : `?at=${at}`;
    return (await this.client.get(`/sessions/${session}/context${moment}`)).json();
  }

  /** Id of its last event. */
  async lastOf(session: string): Promise<number> {
    const { text } = await this.client.post(`/get-messages?session=${session}&at=${'9'.repeat(15)}`);
    return Number(/last event of the session is (\d+)/.exec(text)?.[1]);
  }

  erase(session: string, query = ''): Promise<Answer> {
    return this.client.call('DELETE', `/sessions/${session}${query}`);
  }

  async statusOf(session: string): Promise<number> {
    return (await this.client.get(`/sessions/${session}`)).status;
  }

  /** A session of one run. */
  async said(name: string, answer = 'Answer'): Promise<Said> {
    const { stage, client } = this;
    const message = stage.book.on(stage.message(name), say(answer));
    const { session } = await client.runToEnd(message);
    return { session, message, messages: exchange(message, answer) };
  }

  /** One run more. Returns what it adds to the history. */
  async goOn(session: string, name: string): Promise<readonly Message[]> {
    const { stage, client } = this;
    const message = stage.book.on(stage.message(name), say('More'));
    await client.runToEnd(message, { session });
    return exchange(message, 'More');
  }
}

const exchange = (message: string, answer: string): readonly Message[] => [
  { type: 'user_message', content: message },
  { type: 'agent_response', content: answer },
];
