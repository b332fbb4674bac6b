package playground

// Examples are queries that any member of an organization can run as they are,
// and a subscription that needs the id of a space of theirs.
func Examples() []Example {
	return []Example{
		{Title: "Who the token belongs to, and what it opens", Query: `query Me {
  viewer {
    id
    displayName
  }
  organizations(first: 10) {
    totalCount
    nodes {
      id
      title
      permissions {
        admin
      }
    }
  }
}
`},
		{Title: "The page tree of each space", Query: `query Pages {
  organizations(first: 1) {
    nodes {
      spaces(first: 5) {
        nodes {
          id
          title
          revision {
            id
            pages {
              title
              path
              pages {
                title
                path
              }
            }
          }
        }
      }
    }
  }
}
`},
		{Title: "Open change requests, newest first", Query: `query Reviews($first: Int!) {
  organizations(first: 1) {
    nodes {
      changeRequests(first: $first, filter: { status: OPEN }) {
        totalCount
        nodes {
          number
          subject
          createdBy {
            displayName
          }
          space {
            title
          }
        }
        pageInfo {
          hasNextPage
          endCursor
        }
      }
    }
  }
}
`, Variables: map[string]any{"first": 10}},
		{Title: "Where a word stands", Query: `query Search($query: String!) {
  organizations(first: 1) {
    nodes {
      search(query: $query, first: 5) {
        nodes {
          title
          pages {
            title
            path
            sections {
              title
              body
            }
          }
        }
      }
    }
  }
}
`, Variables: map[string]any{"query": "merge"}},
		{Title: "What is being said about a space, as it happens: give the id of one", Query: `subscription Discussion($space: ID!) {
  commentAdded(space: $space) {
    ... on Comment {
      postedBy {
        displayName
      }
      body {
        markdown
      }
    }
    ... on CommentReply {
      id
    }
  }
}
`, Variables: map[string]any{"space": ""}},
	}
}
