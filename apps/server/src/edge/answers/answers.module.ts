import { Module } from '@nestjs/common';
import { LargeAnswers } from './large-answer.js';
import { PageAnswers } from './page-answers.js';

/** Answers that are written a piece at a time. Needs the AnswerRoom that they share. */
@Module({ providers: [LargeAnswers, PageAnswers], exports: [LargeAnswers, PageAnswers] })
export class AnswersModule {}
