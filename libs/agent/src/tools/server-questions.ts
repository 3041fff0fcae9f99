import {
  ACTION_EXPIRES_S,
  type AskedInput,
  type AttemptRef,
  type CallState,
  type Draft,
  MAX_OPEN_ACTIONS,
  type TurnToolCall,
  actionId,
} from '#domain';
import type { Clock } from '#platform';
import type { ServerAnswer, ServerAnswers, WantedInputs } from './tool.js';
import type { CallRecord } from './call-record.js';

/** What tool servers want to be answered before they go on with calls: each question is an action that somebody decides on. */
export class ServerQuestions {
  constructor(
    private readonly record: CallRecord,
    private readonly clock: Clock,
  ) {}

  /** Returns whether somebody is asked: not where too much is asked already. */
  async ask(
    call: TurnToolCall,
    { questions, state }: WantedInputs,
    step: AttemptRef | undefined,
  ): Promise<boolean> {
    const { record } = this;
    const { asked, openActions, config } = record.state;
    if (openActions.length + questions.length > MAX_OPEN_ACTIONS) return false;
    const expiresS = config.approvals?.expires_s ?? ACTION_EXPIRES_S;
    const expires_at = new Date(this.clock.now() + expiresS * 1000).toISOString();
    const { server = '', tool = call.name } = call;
    const actions: Draft[] = [];
    for (const [at, { key: _, ...question }] of questions.entries()) {
      const content = await this.stored(JSON.stringify({ server, tool, ...question }));
      const action_id = actionId(record.run, asked + at);
      actions.push({
        type: 'agent_action_required',
        data: { action_id, kind: 'input', content, expires_at },
      });
    }
    const data = {
      call_id: call.id,
      keys: questions.map(({ key }) => key),
      ...(step === undefined ? {} : { step }),
      ...(state === undefined ? {} : { state: await this.stored(state) }),
    };
    record.write([{ type: 'tool_input_required', data }, ...actions]);
    return true;
  }

  /** What was decided; undefined: nothing was asked. */
  async answersTo({ inputs }: CallState): Promise<ServerAnswers | undefined> {
    if (inputs === undefined) return undefined;
    const { session, contents } = this.record;
    const all = inputs.asked.map(async (input) => [input.key, await this.answerOf(input)] as const);
    const answers = Object.fromEntries(await Promise.all(all));
    const state = inputs.state === undefined ? {} : { state: await contents.text(session, inputs.state) };
    return { answers, ...state };
  }

  private async answerOf({ decision, answer }: AskedInput): Promise<ServerAnswer> {
    if (decision === 'expired' || decision === null) return { action: 'cancel' };
    if (decision !== 'answer') return { action: 'decline' };
    if (answer === undefined) return { action: 'accept' };
    const { session, contents } = this.record;
    const text = await contents.text(session, answer);
    return text === '' ? { action: 'accept' } : { action: 'accept', content: JSON.parse(text) as object };
  }

  private stored(text: string) {
    return this.record.contents.storeBeside(this.record.session, text);
  }
}
