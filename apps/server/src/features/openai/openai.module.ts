import { Module } from '@nestjs/common';
import { AddedItems } from './asking/added-items.js';
import { Continuations } from './asking/continuations.js';
import { GivenFiles } from './asking/given-files.js';
import { GivenItems } from './asking/given-items.js';
import { MetadataChanges } from './asking/metadata-changes.js';
import { Repeats } from './asking/repeats.js';
import { ResponseBases } from './asking/response-bases.js';
import { ResponseCancels } from './asking/response-cancels.js';
import { ResponseStarts } from './asking/response-starts.js';
import { WaitingRuns } from './asking/waiting-runs.js';
import { CreateResponseController } from './create-response.controller.js';
import { ChatCompletionsController } from './chat-completions.controller.js';
import { ConversationSurroundings } from './conversation-surroundings.js';
import { ConversationsWriteController } from './conversations-write.controller.js';
import { ConversationsController } from './conversations.controller.js';
import { ResponseDeletion } from './deletion/response-deletion.js';
import { ModelsController } from './models.controller.js';
import { ChatReading } from './reading/chat-reading.js';
import { ConversationReading } from './reading/conversation-reading.js';
import { FaceEvents } from './reading/face-events.js';
import { LineEvents } from './reading/line-events.js';
import { ResponseReading } from './reading/response-reading.js';
import { ResponsesController } from './responses.controller.js';
import { UnstoredResponses, UnstoredSurroundings } from './unstored/unstored-responses.js';

/** The interface that OpenAI's clients speak, under `/v1`. */
@Module({
  controllers: [
    CreateResponseController,
    ResponsesController,
    ConversationsController,
    ConversationsWriteController,
    ModelsController,
    ChatCompletionsController,
  ],
  providers: [
    FaceEvents,
    LineEvents,
    ResponseReading,
    ConversationReading,
    ChatReading,
    GivenItems,
    GivenFiles,
    ResponseBases,
    ResponseStarts,
    Continuations,
    Repeats,
    AddedItems,
    ResponseDeletion,
    ConversationSurroundings,
    MetadataChanges,
    ResponseCancels,
    UnstoredResponses,
    UnstoredSurroundings,
    WaitingRuns,
  ],
})
export class OpenAiModule {}
