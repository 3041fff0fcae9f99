import { Module } from '@nestjs/common';
import { ActionAnswers } from './action-answers.js';
import { ActionsController } from './actions.controller.js';

@Module({ controllers: [ActionsController], providers: [ActionAnswers] })
export class ActionsModule {}
