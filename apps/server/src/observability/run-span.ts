import { sessionOfRun, type RunId, type SessionId } from '#domain';
import type { Span, Tracer } from '#platform';

export interface RunOfSpan {
  readonly run: RunId;
  /** `traceparent` of what caused it. */
  readonly cause?: string | undefined;
  readonly session?: SessionId;
  readonly mode?: string;
  readonly model?: string;
  readonly trigger?: string;
  readonly requestedAt?: number;
}

/**
 * The span of a run. Its ids follow from the run's id and its cause, both on the log, so that every process that drives
 * the run, or delivers its events, means the same span; whoever ends the run ends it.
 */
export function runSpan(tracer: Tracer, facts: RunOfSpan): Span {
  const { run, cause, mode, model, trigger, requestedAt } = facts;
  const session = facts.session ?? sessionOfRun(run) ?? '';
  return tracer.start({
    name: 'invoke_agent annals',
    kind: 'internal',
    key: run,
    // Without a cause it is a trace of its own, whatever happens to be under way here.
    parent: cause ?? '',
    ...(requestedAt === undefined ? {} : { startedAt: requestedAt }),
    attributes: {
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': 'annals',
      'gen_ai.provider.name': 'openai',
      'gen_ai.conversation.id': session,
      'annals.run.id': run,
      ...(model === undefined ? {} : { 'gen_ai.request.model': model }),
      ...(mode === undefined ? {} : { 'annals.run.mode': mode }),
      ...(trigger === undefined ? {} : { 'annals.run.trigger': trigger }),
    },
  });
}
