import { Controller, Delete, Get, Param, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Principal } from '#access';
import { Caller } from '../../edge/admission/caller.js';
import { answerWithEvents } from '../../edge/answers/event-stream.js';
import { LargeAnswers } from '../../edge/answers/large-answer.js';
import { OpenStreams } from '../../edge/answers/socket-sink.js';
import { Operation } from '../../edge/routes/operation.js';
import { ResponseDeletion } from './deletion/response-deletion.js';
import { foreign } from './foreign.js';
import { flagOf, listTermsOf, pageOf, queryOf } from './query.js';
import { ConversationReading } from './reading/conversation-reading.js';
import { ResponseReading } from './reading/response-reading.js';
import { refused } from '#openai-face';

/** Responses that are there. */
@Controller('v1/responses')
export class ResponsesController {
  constructor(
    private readonly responses: ResponseReading,
    private readonly conversations: ConversationReading,
    private readonly large: LargeAnswers,
    private readonly open: OpenStreams,
    private readonly deletion: ResponseDeletion,
  ) {}

  @Get(':response')
  @Operation(foreign('getResponse', 'read'))
  async one(
    @Param('response') id: string,
    @Caller() { project }: Principal,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const query = queryOf(request.query, 'stream', 'starting_after', 'include', 'include_obfuscation');
    if (flagOf(query, 'include_obfuscation'))
      throw refused('unsupported_value', 'include_obfuscation', 'include_obfuscation: true is not supported');
    const isStream = flagOf(query, 'stream');
    const after = startingAfter(query.get('starting_after'), isStream);
    const found = await this.responses.find(project, id);
    reply.header('content-location', `/runs/${found.place.run}`);
    const { responses } = this;
    if (!isStream)
      return this.large.send(reply, project, async function* (weigh) {
        yield await responses.json(found, weigh);
      });
    // One that is not there is refused before the stream begins.
    if (found.passage > 1) await responses.read(found);
    void answerWithEvents(reply, this.open, (sink) => responses.send(found, after, sink));
  }

  @Delete(':response')
  @Operation(foreign('deleteResponse', 'admin'))
  async delete(
    @Param('response') id: string,
    @Caller() { project, keyId: actor }: Principal,
    @Req() request: FastifyRequest,
  ): Promise<object> {
    queryOf(request.query);
    const erased = await this.deletion.delete(id, { project, actor });
    return { id, object: 'response', deleted: true, erased };
  }

  @Get(':response/input_items')
  @Operation(foreign('listInputItems', 'read'))
  async inputItems(
    @Param('response') id: string,
    @Caller() { project }: Principal,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const terms = listTermsOf(request.query);
    const found = await this.responses.find(project, id);
    const { conversations } = this;
    await this.large.send(reply, project, async function* (weigh) {
      yield JSON.stringify(pageOf(await conversations.before(found, weigh), terms));
    });
  }
}

/** The number of the record behind which a stream begins; -1: with the first. @throws Problem invalid_value */
function startingAfter(given: string | undefined, isStream: boolean): number {
  if (given === undefined) return -1;
  if (!isStream)
    throw refused('invalid_value', 'starting_after', 'starting_after: goes with stream=true only');
  if (!/^\d{1,9}$/.test(given))
    throw refused('invalid_value', 'starting_after', 'starting_after: must be a whole number from 0 on');
  return Number(given);
}
