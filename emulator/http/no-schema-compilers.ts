import type { FastifyServerOptions } from 'fastify'

/**
 * Replaces Fastify's schema compilers, which account for a large part of the startup time. The emulator's routes
 * declare no schemas; the stages of the pipeline validate requests.
 */
export const NO_SCHEMA_COMPILERS: NonNullable<FastifyServerOptions['schemaController']> = {
  compilersFactory: { buildValidator: refuseSchemas, buildSerializer: refuseSchemas },
}

function refuseSchemas(): never {
  throw new Error('a route of the emulator states a schema, for which no compiler is loaded')
}
