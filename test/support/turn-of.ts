import { type ContextMessage, type RunWarning, newRun } from '#domain';
import { ContentStore, MemoryFileStore } from '#vault';
import { ModelFailure } from '../../libs/agent/src/model/model-client.js';
import { ModelTurn } from '../../libs/agent/src/model/model-turn.js';
import { CountingRandom } from './counting-random.js';
import { DraftSink } from './draft-sink.js';
import { ManualClock } from './manual-clock.js';
import { type ClientScript, ScriptedClient } from './scripted-client.js';

/** The model is busy, and asks for so much patience. */
export const busy = (retryAfterMs?: number) =>
  new ModelFailure('transient', 'the model is busy', retryAfterMs === undefined ? {} : { retryAfterMs });

export const stored = () => Promise.resolve();

export interface TurnOptions {
  readonly streaming?: boolean;
  readonly messages?: readonly ContextMessage[];
  readonly model?: string;
  readonly jitter?: number;
  readonly settled?: () => Promise<void>;
  readonly contents?: ContentStore;
  /** What the run has told of before. */
  readonly warnings?: readonly RunWarning[];
  /** Of tools that are offered. */
  readonly serverOf?: (tool: string) => string | undefined;
}

/** A turn that is being taken, and what it is taken with. */
export function turnOf(script: ClientScript, options: TurnOptions = {}) {
  const { streaming = true, messages = [{ role: 'user', content: 'hi' }], model = 'm', jitter = 0 } = options;
  const client = new ScriptedClient(script);
  const clock = new ManualClock();
  const sink = new DraftSink();
  const { contents = new ContentStore(new MemoryFileStore()) } = options;
  const controller = new AbortController();
  const turn = new ModelTurn(client, clock, new CountingRandom('turn', jitter));
  const config = { streaming_tokens: streaming, system: 'Be brief.', rules: ['no lies', 'no jokes'] };
  const { warnings = [] } = options;
  const state = { ...newRun({ mode: 'base', model, message: 'hi', config }), warnings };
  const { settled = stored } = options;
  const room = () => Promise.resolve();
  const run = {
    session: 'ses_1',
    project: 'prj_1',
    key: 'key_1',
    state,
    contents,
    settled,
    hasRoom: true,
    room,
  };
  const { serverOf = () => undefined } = options;
  const request = { run, sink, messages, tools: [], serverOf };
  const taken = turn.take(request, controller.signal);
  taken.catch(() => {});
  return { client, clock, sink, controller, contents, run, taken };
}
