"""Teaching a judge by answers: questions, lessons, labels, and a run judged anew."""
