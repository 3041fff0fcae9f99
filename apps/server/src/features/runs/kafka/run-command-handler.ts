import { CommandHandler, type CommandOutcome, type KafkaCommand } from '#delivery';
import { Problem, invalid, type ProjectId, type SessionId } from '#domain';
import type { Logger } from '#platform';
import type { StartRun, StartRunHandler } from '#runs';
import { isObject } from '../../../edge/validation/rules.js';
import { parseIdempotencyKey } from '../../../edge/validation/idempotency-key.js';
import { parseRunRequest } from '../dto/run-body.js';
import { sentName } from '../shared/either.js';
import { checkRunSemantics } from '../dto/run-semantics.js';
import { IsName, MayBeOmitted } from '../../../edge/validation/decorators.js';
import { validated } from '../../../edge/validation/validate.js';
import { parseJson } from '../../../edge/body/json-body.js';
import { problemOf } from '../../../edge/problems/problem-filter.js';
import { STATUS, problemBody } from '../../../edge/problems/problem-response.js';
import { type RunSurroundings, runCommandOf } from '../run-command.js';

export interface RunCommandPorts {
  readonly startRun: Pick<StartRunHandler, 'start'>;
  readonly surroundings: RunSurroundings;
  readonly logger: Logger;
}

export interface RunCommandOptions {
  /** The project that commands act in. */
  readonly project: ProjectId;
  readonly maxBodyBytes: number;
}

/** The actor of runs that came by Kafka: nobody with a key. */
export const KAFKA_ACTOR = 'kafka';

/** What says nothing about the command: the same one is asked again. */
const PASSING: ReadonlySet<Problem['code']> = new Set(['log_unavailable', 'unavailable', 'rate_limited']);

/** Starts the runs that commands of Kafka ask for: one for each idempotency key, however often a command comes. */
export class RunCommandHandler extends CommandHandler {
  constructor(
    private readonly ports: RunCommandPorts,
    private readonly options: RunCommandOptions,
  ) {
    super();
  }

  override async handle(command: KafkaCommand): Promise<CommandOutcome> {
    try {
      const started = await this.ports.startRun.start(await this.read(command));
      this.ports.logger.debug({ command: command.place, run: started.run }, 'a command has its run');
      return { kind: 'accepted' };
    } catch (error) {
      const problem = problemOf(error);
      if (problem.code === 'internal') throw error;
      if (PASSING.has(problem.code)) return { kind: 'later', detail: problem.detail };
      return this.rejected(command, problem);
    }
  }

  override giveUp(command: KafkaCommand, error: unknown): CommandOutcome {
    this.ports.logger.error({ err: error, command: command.place }, 'a command failed');
    return this.rejected(command, problemOf(error));
  }

  /** @throws Problem */
  private async read(command: KafkaCommand): Promise<StartRun> {
    const { place, value, timestamp, idempotencyKey } = command;
    const { project, maxBodyBytes } = this.options;
    if (value === null) throw new Problem('invalid_request', 'the command is empty');
    if (value.length > maxBodyBytes) {
      throw new Problem('payload_too_large', 'the command is larger than MAX_BODY_KB allows');
    }
    const { session, body: sent } = splitSession(parseJson(value));
    const body = parseRunRequest(sent);
    if (body.mcp_servers.length > 0) {
      throw invalid(
        sentName(sent, 'mcp_servers', 'mcpServers'),
        'may not be sent by Kafka: a topic is storage',
      );
    }
    await checkRunSemantics(body, project, this.ports.surroundings.schemas);
    // A command without a key of its own is known by its place. No header can hold a line break.
    const key = parseIdempotencyKey(idempotencyKey ?? undefined) ?? `kafka\n${place}\n${timestamp}`;
    const origin = { project, actor: KAFKA_ACTOR, requestId: place, trigger: 'kafka' as const };
    return runCommandOf(body, origin, { body: sent, session, key }, this.ports.surroundings);
  }

  private rejected(command: KafkaCommand, problem: Problem): CommandOutcome {
    const { place, value } = command;
    this.ports.logger.info({ command: place, code: problem.code }, 'a command was rejected');
    return {
      kind: 'rejected',
      problem: problemText(problem, place),
      value: value === null ? null : withoutCredentials(value, this.options.maxBodyBytes),
    };
  }
}

/** The body of `POST /`, and the session that stands beside its fields. @throws Problem */
function splitSession(value: unknown): { readonly session: SessionId | undefined; readonly body: object } {
  if (!isObject(value)) throw new Problem('invalid_request', 'the command must be a JSON object');
  const { session, ...body } = value;
  return { session: validated(CommandPlaceDto, { session }).session, body };
}

class CommandPlaceDto {
  @MayBeOmitted()
  @IsName()
  readonly session?: SessionId;
}

/** It stands in a header, and headers are meant to be short. */
const MAX_PROBLEM_CHARS = 16 * 1024;

function problemText(problem: Problem, place: string): string {
  const body = problemBody(problem, STATUS[problem.code], place);
  const text = JSON.stringify(body);
  if (text.length <= MAX_PROBLEM_CHARS) return text;
  const { errors: _, ...short } = body;
  return JSON.stringify(short);
}

const MCP = ['mcp_servers', 'mcpServers'];
/** Their names, however they are escaped. */
const NAMES_MCP = /mcp(?:_|\\u005f)?servers/i;

/** A rejected command is written once more, and what MCP servers are given is written nowhere. null: all of it stays out. */
function withoutCredentials(value: Buffer, maxBytes: number): Buffer | null {
  if (value.length > maxBytes) return null;
  const text = value.toString('utf8');
  if (!NAMES_MCP.test(text)) return value;
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return null;
    const kept = Object.entries(parsed).filter(([name]) => !MCP.includes(name));
    const left = JSON.stringify(Object.fromEntries(kept));
    return NAMES_MCP.test(left) ? null : Buffer.from(left, 'utf8');
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
