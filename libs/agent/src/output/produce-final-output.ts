import {
  type FinalAnswer,
  type FinalOutputSpec,
  type FinalOutputState,
  type FinalRequest,
  type FinalStep,
  answerText,
  beginFinalOutput,
  finalRequest,
  takeAnswer,
  takeRefusal,
} from './final-output.js';

export interface FinalOutputPorts {
  /**
   * Asks the model once, with the messages of the request behind the run's own, and journals the answer (`text` is what
   * `answerText` makes of it) before it resolves. @throws ModelFailure, or
   * an error whose cause is one; or what ends the run
   */
  ask(request: FinalRequest, signal: AbortSignal): Promise<FinalAnswer>;
}

export type FinalOutputResult = Exclude<FinalStep, { kind: 'ask' }>;

/**
 * Brings the model to give output that validates: structured-output mode, or a forced tool where the server refuses that,
 * and at most two repairs.
 *
 * @param recorded answers that are on the log already, in order: the model is not asked for them again
 */
export async function produceFinalOutput(
  ports: FinalOutputPorts,
  spec: FinalOutputSpec,
  recorded: readonly string[],
  signal: AbortSignal,
): Promise<FinalOutputResult> {
  let state = beginFinalOutput(spec);
  const answers = [...recorded];
  for (;;) {
    signal.throwIfAborted();
    const text = answers.shift() ?? (await askedFor(state, ports, signal));
    if (typeof text !== 'string') {
      state = text;
      continue;
    }
    const step = await takeAnswer(state, text);
    if (step.kind !== 'ask') return step;
    state = step.state;
  }
}

/** The answer, or the state to go on with where the server refused the request as it was. */
async function askedFor(
  state: FinalOutputState,
  ports: FinalOutputPorts,
  signal: AbortSignal,
): Promise<string | FinalOutputState> {
  try {
    return answerText(await ports.ask(finalRequest(state), signal));
  } catch (error) {
    const other = takeRefusal(state, error);
    if (other === null) throw error;
    return other;
  }
}
