import { Module } from '@nestjs/common';
import { MessagesController } from './messages.controller.js';
import { SessionsController } from './sessions.controller.js';

/** Needs what RunsModule exports. */
@Module({ controllers: [MessagesController, SessionsController] })
export class SessionsModule {}
