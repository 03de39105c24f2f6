import type { FastifyServerOptions } from 'fastify'

/**
 * Replaces Fastify's schema compilers, whose loading takes a large part of the startup time. The emulator's routes
 * declare no schemas; the stages of the pipeline validate requests.
 */
export const NO_SCHEMA_COMPILERS: NonNullable<FastifyServerOptions['schemaController']> = {
  compilersFactory: { buildValidator: rejectSchemas, buildSerializer: rejectSchemas },
}

function rejectSchemas(): never {
  throw new Error('A route declares a schema, but the emulator loads no schema compiler.')
}
