#!/usr/bin/env node
// Plain JavaScript, so that the cache is on before the first file whose types have to be stripped: what strips them need
// not be loaded then, and each file is compiled once per machine instead of once per start.
import { enableCompileCache } from 'node:module'

enableCompileCache()
await import('./touchstone.ts')
