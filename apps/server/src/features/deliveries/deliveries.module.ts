import { Module } from '@nestjs/common';
import { AllDeliveriesController } from './all-deliveries.controller.js';
import { DeliveriesController } from './deliveries.controller.js';

/** Needs what RunsModule exports. */
@Module({ controllers: [DeliveriesController, AllDeliveriesController] })
export class DeliveriesModule {}
