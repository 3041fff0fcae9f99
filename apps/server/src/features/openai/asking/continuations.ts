import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { type Principal, hasScope } from '#access';
import { type ActionId, type GivenItem, Problem, type RunConfig } from '#domain';
import {
  type CallDecision,
  type Decided,
  type ResponseRequest,
  decidedBy,
  isSameDecision,
  refused,
  responseId,
} from '#openai-face';
import { type DecisionRequest, JointDecisions } from '#runs';
import { RunRequests } from '../../runs/shared/run-requests.js';
import { type FoundResponse, ResponseReading } from '../reading/response-reading.js';
import { asAsked, moreConfigOf, runBodyOf } from './asked-run.js';
import { payloadHash, payloadOf } from './payload.js';
import type { SentResponse } from './sent-response.js';
import { type WaitingResponse, WaitingRuns } from './waiting-runs.js';

type Place = Omit<FoundResponse, 'id'>;

/** Lets runs that wait go on with what a request decides. */
@Injectable()
export class Continuations {
  constructor(
    private readonly joint: JointDecisions,
    private readonly requests: RunRequests,
    private readonly waiting: WaitingRuns,
    private readonly responses: ResponseReading,
  ) {}

  /** The response that a key stands for which went with decisions; null: none. @throws Problem idempotency_mismatch, not_found */
  async ofKey({ key, body }: SentResponse, { project }: Principal): Promise<FoundResponse | null> {
    if (key === undefined) return null;
    const known = await this.joint.ofKey({ key, payload: payloadOf(body) }, { project });
    return known && this.responses.find(project, responseId(known.run, known.passage));
  }

  /**
   * The response that follows: the one that the same decisions had before, where there is one. @throws Problem; DecidedMeanwhile;
   * LogUnavailable: nothing was decided
   */
  async goOn(
    waiting: WaitingResponse,
    items: readonly GivenItem[],
    sent: SentResponse,
    caller: Principal,
    request: FastifyRequest,
  ): Promise<Place> {
    const { place, passage, followedBy } = waiting;
    const { asked, key, body } = sent;
    if (!asked.isStored)
      throw refused(
        'invalid_value',
        'store',
        'store: false does not go with what decides on a run that waits',
      );
    const held = await this.waiting.held(caller.project, waiting);
    const decided = decidedBy(items, passage.waits, place.session, held);
    const next = { place, passage: followedBy ?? passage.beginning.number + 1 };
    if (followedBy === null) await this.decide(waiting, decided, sent, caller, request);
    else await this.requireSame(waiting, decided, next);
    const { session, run } = place;
    const who = { project: caller.project, actor: caller.keyId };
    if (key !== undefined)
      await this.joint.note({ key, payload: payloadOf(body) }, { session, run, passage: next.passage }, who);
    return next;
  }

  /** @throws Problem conflict; not_found: what followed was deleted */
  private async requireSame(
    { face, passage }: WaitingResponse,
    decided: Decided,
    { place, passage: number }: Place,
  ): Promise<void> {
    const followed = face.passages[number - 1];
    if (followed === undefined || !isSameDecision(decided, passage.waits, followed))
      throw new Problem('conflict', 'something else was decided before');
    await this.responses.requireShown(place, followed.id);
  }

  private async decide(
    waiting: WaitingResponse,
    decided: Decided,
    { asked, body, operation }: SentResponse,
    caller: Principal,
    request: FastifyRequest,
  ): Promise<void> {
    requireApprover(decided, caller);
    requireSameRun(waiting, asked);
    const { config, mcpServers } = await this.settingsOf(waiting, asked, caller, request);
    const { run, session } = waiting.place;
    const settings = JSON.stringify(settingsOf(waiting, asked));
    await this.joint.decide(
      {
        session,
        run,
        decisions: requestsOf(decided),
        response: { settings, payload: payloadHash([operation, body]) },
        items: decided.items,
        config,
        messages: decided.messages,
        mcpServers,
      },
      { project: caller.project, actor: caller.keyId },
    );
  }

  /** Those of the run, but for what the request says: it holds from here on. */
  private async settingsOf(
    { face }: WaitingResponse,
    asked: ResponseRequest,
    caller: Principal,
    request: FastifyRequest,
  ) {
    const { requests } = this;
    try {
      const { agents = [], workflows = [] } = face.config;
      const isPlain = agents.length === 0 && workflows.length === 0;
      const command = await requests.commandOf(runBodyOf(asked, ''), { body: {}, isPlain }, caller, request);
      await command.check?.();
      const kept: Record<string, unknown> = { ...face.config };
      for (const name of OF_REQUEST) delete kept[name];
      const config: RunConfig = { ...kept, ...command.config, ...moreConfigOf(asked) };
      return { config, mcpServers: command.mcpServers ?? [] };
    } catch (error) {
      throw asAsked(error, asked.tools);
    }
  }
}

/** Settings that a request has words for. */
const OF_REQUEST: readonly (keyof RunConfig)[] = [
  'system',
  'streaming_tokens',
  'mcp_servers',
  'final_output',
  'approvals',
  'tools',
  'metadata',
  'sampling',
  'tool_choice',
];

/** As the response shows them. */
const settingsOf = ({ passage }: WaitingResponse, { settings, conversation }: ResponseRequest) =>
  conversation === undefined ? { ...settings, previous_response_id: passage.id } : settings;

function requireApprover({ decisions }: Decided, caller: Principal): void {
  const approves = [...decisions.values()].some(({ kind }) => kind === 'approve');
  if (approves && !hasScope(caller, 'approve'))
    throw new Problem('forbidden', 'this key lacks the scope approve');
}

/** @throws Problem naming what must be the same */
function requireSameRun({ face }: WaitingResponse, { mode, tools }: ResponseRequest): void {
  if (face.request?.data.mode !== mode)
    throw refused('invalid_value', 'model', `model: the run that waits has ${face.request?.data.mode}`);
  const labels = new Set(tools.servers.map(({ label }) => label));
  const gone = (face.config.mcp_servers ?? []).filter((name) => !labels.has(name));
  if (gone.length > 0)
    throw refused('invalid_value', 'tools', `tools: the servers of the run are missing: ${gone.join(', ')}`);
}

function requestsOf({ decisions }: Decided): ReadonlyMap<ActionId, DecisionRequest> {
  return new Map([...decisions].map(([id, decision]) => [id, requestOf(decision)]));
}

function requestOf(decision: CallDecision): DecisionRequest {
  if (decision.kind === 'answer') return { decision: 'answer', result: { value: decision.result } };
  return { decision: decision.kind, ...(decision.reason === null ? {} : { reason: decision.reason }) };
}
