import { Module } from '@nestjs/common';
import { DeliveriesController } from './deliveries.controller.js';

/** Needs what RunsModule exports. */
@Module({ controllers: [DeliveriesController] })
export class DeliveriesModule {}
