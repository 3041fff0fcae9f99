import type { SessionEvent, SessionId, TurnToolCall } from '#domain';
import type { ContentStore } from '#vault';
import type { ModelEnd } from '../run/run-watch.js';
import { ModelFailure, type ToolCall } from './model-client.js';
import { isTooMuch } from './turn-warnings.js';

interface TurnFiles {
  readonly session: SessionId;
  readonly contents: ContentStore;
}

export type TurnData = Extract<SessionEvent, { type: 'model_turn_completed' }>['data'];

/** JSON bytes of one turn's calls, together: they stand in one event, as large as the content of one may be. */
const MAX_CALL_BYTES = 160 * 1024;

/** What an answer is recorded as. @throws ModelFailure: it cannot be */
export async function turnDataOf(end: ModelEnd, run: TurnFiles): Promise<TurnData> {
  return { ...turnData(end), ...(await kept(end, run)) };
}

function turnData({ toolCalls, finishReason }: ModelEnd): TurnData {
  const tool_calls = distinct(toolCalls);
  if (Buffer.byteLength(JSON.stringify(tool_calls)) > MAX_CALL_BYTES) {
    throw new ModelFailure(
      'transient',
      `the model called tools with more than ${MAX_CALL_BYTES} bytes of arguments`,
    );
  }
  return {
    finish_reason: finishReason,
    ...(tool_calls.length > 0 ? { tool_calls } : {}),
  };
}

/** Some servers give every call of a turn the same id, or none. */
function distinct(calls: readonly ToolCall[]): TurnToolCall[] {
  const seen = new Set<string>();
  return calls.map(({ id, name, arguments: input, isCut }, i) => {
    let unique = id;
    for (let n = i; unique === '' || seen.has(unique); n++) unique = `${id || 'call'}_${n}`;
    seen.add(unique);
    return { id: unique, name, arguments: input, ...(isCut ? { cut: true as const } : {}) };
  });
}

/** What the server may want back, as the log holds it. */
async function kept(
  { provider }: ModelEnd,
  { session, contents }: TurnFiles,
): Promise<Pick<TurnData, 'provider'>> {
  if (provider === undefined || isTooMuch(provider)) return {};
  return { provider: await contents.storeBeside(session, provider) };
}
