import { Module } from '@nestjs/common';
import { Continuations } from './asking/continuations.js';
import { GivenItems } from './asking/given-items.js';
import { ResponseBases } from './asking/response-bases.js';
import { ResponseStarts } from './asking/response-starts.js';
import { WaitingRuns } from './asking/waiting-runs.js';
import { CreateResponseController } from './create-response.controller.js';
import { ConversationsController } from './conversations.controller.js';
import { ModelsController } from './models.controller.js';
import { ConversationReading } from './reading/conversation-reading.js';
import { FaceEvents } from './reading/face-events.js';
import { LineEvents } from './reading/line-events.js';
import { ResponseReading } from './reading/response-reading.js';
import { ResponsesController } from './responses.controller.js';

/** The interface that OpenAI's clients speak, under `/v1`. */
@Module({
  controllers: [CreateResponseController, ResponsesController, ConversationsController, ModelsController],
  providers: [
    FaceEvents,
    LineEvents,
    ResponseReading,
    ConversationReading,
    GivenItems,
    ResponseBases,
    ResponseStarts,
    Continuations,
    WaitingRuns,
  ],
})
export class OpenAiModule {}
