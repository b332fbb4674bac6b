import { randomBytes } from 'node:crypto';
import pg from 'pg';

// The address of a PostgreSQL database whose user may create others.
const administration = process.env.OCTAVO_TEST_POSTGRES_URL;

if (!administration && process.env.OCTAVO_REQUIRE_POSTGRES === '1') {
  throw new Error('OCTAVO_REQUIRE_POSTGRES is 1, but OCTAVO_TEST_POSTGRES_URL names no database');
}

export const postgresAvailable = Boolean(administration);

// Creates an empty database; drop removes it again.
export async function createDatabase() {
  const name = `octavo_e2e_${randomBytes(8).toString('hex')}`;
  await administer(`CREATE DATABASE ${name}`);
  const address = new URL(administration);
  address.pathname = `/${name}`;
  return { url: address.href, drop: () => administer(`DROP DATABASE ${name} WITH (FORCE)`) };
}

async function administer(statement) {
  const client = new pg.Client({ connectionString: administration });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
