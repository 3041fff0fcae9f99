import { Module } from '@nestjs/common';
import { ConversationsController } from './conversations.controller.js';
import { ModelsController } from './models.controller.js';
import { ConversationReading } from './reading/conversation-reading.js';
import { FaceEvents } from './reading/face-events.js';
import { LineEvents } from './reading/line-events.js';
import { ResponseReading } from './reading/response-reading.js';
import { ResponsesController } from './responses.controller.js';

/** The interface that OpenAI's clients speak, under `/v1`. */
@Module({
  controllers: [ResponsesController, ConversationsController, ModelsController],
  providers: [FaceEvents, LineEvents, ResponseReading, ConversationReading],
})
export class OpenAiModule {}
