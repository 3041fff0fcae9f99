import { Module } from '@nestjs/common';
import { SessionExportController } from './export/session-export.controller.js';
import { SessionLogController } from './log/session-log.controller.js';
import { MessagesController } from './messages.controller.js';
import { SessionAnswers } from './session-answers.js';
import { SessionController } from './session.controller.js';
import { SessionsController } from './sessions.controller.js';

/** Needs what RunsModule exports. */
@Module({
  controllers: [
    MessagesController,
    SessionController,
    SessionsController,
    SessionLogController,
    SessionExportController,
  ],
  providers: [SessionAnswers],
})
export class SessionsModule {}
