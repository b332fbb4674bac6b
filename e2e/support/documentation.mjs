import assert from 'node:assert/strict';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

// The documentation of Octavo itself.
export const ownDocumentation = fileURLToPath(new URL('../../docs/', import.meta.url));

// A small repository with every block that a page can have.
export const handbook = fileURLToPath(new URL('../fixtures/handbook/', import.meta.url));

// Directories of real documentation, which OCTAVO_CORPUS names.
export const corpora = (process.env.OCTAVO_CORPUS ?? '').split(path.delimiter).filter(Boolean);

// A team that imports repositories and publishes them, by the commands and the
// REST API alone.
export class Team {
  constructor(server) {
    this.server = server;
  }

  async organization() {
    this.organizationID ??= (await this.server.graphql('{ organizations(first: 1) { nodes { id } } }')).organizations.nodes[0].id;
    return this.organizationID;
  }

  // Calls the REST API; it must answer with one of the statuses.
  async call(method, target, body, ...statuses) {
    const response = await this.server.fetch(`/v1${target}`, { method, body });
    const text = await response.text();
    assert.ok((statuses.length > 0 ? statuses : [200, 201, 204, 205]).includes(response.status), `${method} ${target} answers ${response.status} ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  }

  // Returns the id of a new space with what a directory holds.
  async import(title, directory) {
    const printed = await this.server.command('import', '--organization', await this.organization(), '--title', title, directory);
    return printed.match(/^space (spc_\w+)$/m)[1];
  }

  // Creates and publishes a site. Each section is a title and its variants,
  // which are ids of spaces.
  async publish(title, visibility, [first, ...others], settings = {}) {
    const base = `/orgs/${await this.organization()}/sites`;
    const { id } = await this.call('POST', base, { title, visibility, spaces: first.spaces });
    const target = `${base}/${id}`;
    for (const section of others) {
      const [leading, ...variants] = section.spaces;
      const { id: sectionId } = await this.call('POST', `${target}/sections`, { title: section.title, spaceId: leading });
      for (const spaceId of variants) {
        await this.call('POST', `${target}/site-spaces`, { spaceId, sectionId });
      }
    }
    if (others.length > 0) {
      const { items } = await this.call('GET', `${target}/sections`);
      await this.call('PATCH', `${target}/sections/${items[0].id}`, { title: first.title });
    }
    const customization = await this.call('GET', `${target}/customization`);
    await this.call('PUT', `${target}/customization`, { ...customization, ...settings });
    const { urls } = await this.call('POST', `${target}/publish`);
    return { id, target, url: urls.published };
  }

  // Changes the content of a space through a change request that is merged.
  async merge(space, subject, changes) {
    const { id } = await this.call('POST', `/spaces/${space}/change-requests`, { subject });
    await this.call('POST', `/spaces/${space}/change-requests/${id}/content`, { changes });
    const { result } = await this.call('POST', `/spaces/${space}/change-requests/${id}/merge`);
    assert.equal(result, 'merge');
  }
}
